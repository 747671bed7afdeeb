"""What is named differently in the versions of scikit-learn."""

import sklearn.utils.validation as validation

if hasattr(validation, "validate_data"):  # since 1.6

    def validate_data(estimator, X, y="no_validation", **options):
        return validation.validate_data(estimator, X=X, y=y, **options)

else:

    def validate_data(estimator, X, y="no_validation", **options):
        return estimator._validate_data(X=X, y=y, **options)
